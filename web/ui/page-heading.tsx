/** The heading of a page: takes the focus when the page was gone to, and names the window. */
import { createEffect, onMount } from 'solid-js'
import { setTitle } from '#web/platform/attention.ts'
import { useServices } from '#web/state/services.ts'

export function PageHeading(props: { words: string; window?: string }) {
  const { link } = useServices()
  let heading!: HTMLHeadingElement
  onMount(() => heading.focus({ preventScroll: true }))
  createEffect(() => setTitle(link.activity().filter((one) => one.state === 'asking').length, props.window ?? props.words))
  return <h1 ref={heading} tabindex="-1">{props.words}</h1>
}
