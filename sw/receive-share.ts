/** Another program shares text with the app: it is stored first, then the page opens and takes it into a draft. Nothing is ever sent. */
import { openPageDatabase } from '#web/storage/idb-keyed-store.ts'
import { putShare } from '#web/storage/share-box.ts'

export type SharedForm = { get(name: string): unknown }

/** Some programs put the address into the text too: it is said once. */
export function sharedText(form: SharedForm): string {
  const [title, text, url] = ['title', 'text', 'url'].map((name) => { const value = form.get(name); return typeof value === 'string' ? value.trim() : '' })
  const parts = [title, text, url].filter((part): part is string => Boolean(part))
  return parts.filter((part, index) => !parts.some((other, at) => at !== index && other.includes(part) && (other !== part || at < index))).join('\n')
}

export async function receiveShare(request: Request, store: (text: string) => Promise<boolean> = storeShare): Promise<Response> {
  const isKept = await request.formData().then((form) => { const text = sharedText(form); return text === '' || store(text) }).catch(() => false)
  return new Response(null, { status: 303, headers: { location: isKept ? '/app/#/share' : '/app/#/share-failed' } })
}

async function storeShare(text: string): Promise<boolean> {
  const db = await openPageDatabase()
  try {
    return await putShare(db, text)
  } finally {
    db.close()
  }
}
