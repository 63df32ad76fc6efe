/** Words that no reload brings back: an answer or a waiting message that is being written. The composer is not one of them; its draft is on disk. */

const ALWAYS = '.askcard input, .queue textarea'
const FIELD = 'textarea:not([aria-label="Message"]), input:is([type="text"], [type="password"], :not([type]))'

export function hasUnsavedEdit(page: Document = document): boolean {
  const active = page.activeElement
  const fields = [...page.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(ALWAYS), ...(active?.matches(FIELD) ? [active as HTMLInputElement] : [])]
  return fields.some((field) => field.value !== '')
}
