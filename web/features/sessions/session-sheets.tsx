/** What is asked before a conversation gets another name, or is deleted while it is at work. */
import '#web/ui/page.css'
import './sessions.css'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { TITLE_CHARS_MAX } from '#web/state/session-deeds.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/parts.tsx'
import { Sheet } from '#web/ui/sheet.tsx'

export const DeleteSheet = (props: { open: boolean; onClose(): void; onDelete(): void }) => (
  <Sheet open={props.open} title="Delete a conversation that is at work?" onClose={() => props.onClose()} foot={<><button type="button" class="btn" data-first onClick={() => props.onClose()}>Cancel</button><Button kind="danger" onClick={() => props.onDelete()}>Stop and delete</Button></>}>
    <p class="sheet-words">The agent is stopped first, in the middle of what it does. For ten seconds the conversation can be taken back; its work cannot.</p>
  </Sheet>
)

/** `session` as it was when the sheet opened: a list that is read meanwhile does not write over what is typed. */
export function RenameSheet(props: { session: Session | null; onClose(): void; onName(words: string): void }) {
  let form!: HTMLFormElement
  const save = (event?: SubmitEvent): void => { event?.preventDefault(); props.onName(String(new FormData(form).get('title') ?? '')) }
  return (
    <Sheet open={props.session !== null} title="Rename the conversation" onClose={() => props.onClose()} foot={<><button type="button" class="btn" onClick={() => props.onClose()}>Cancel</button><Button kind="primary" onClick={() => save()}>Save</Button></>}>
      <form ref={form} onSubmit={save}>
        <Field label="Name">{(field) => <input {...field} name="title" data-first autocomplete="off" maxlength={TITLE_CHARS_MAX} value={props.session?.title || props.session?.preview || ''} ref={(el) => queueMicrotask(() => el.select())} />}</Field>
      </form>
    </Sheet>
  )
}
