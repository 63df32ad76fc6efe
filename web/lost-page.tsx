/** An address that names no page of ours. */
import { useServices } from './state/services.ts'
import { Button } from './ui/button.tsx'
import { PageHeading } from './ui/page-heading.tsx'

export function LostPage(props: { hash: string }) {
  const { route } = useServices()
  return (
    <div class="lost">
      <PageHeading words="There is no such page" />
      <p>Nothing here is called “{props.hash.slice(0, 80)}”. It may be of a newer version.</p>
      <Button kind="primary" onClick={() => route.backToChat()}>To the conversations</Button>
    </div>
  )
}
