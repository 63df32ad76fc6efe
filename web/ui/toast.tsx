/** Shows the one current toast; polite, with its way back as a button. In the top layer, so that no sheet covers it. */
import { onMount, Show } from 'solid-js'
import type { Toast, ToastShell } from '#web/state/toast-shell.ts'

export function ToastView(props: { shell: ToastShell }) {
  return <div role="status" aria-live="polite"><Show when={props.shell.toast()} keyed>{(toast) => <ToastLine toast={toast} shell={props.shell} />}</Show></div>
}

function ToastLine(props: { toast: Toast; shell: ToastShell }) {
  let line!: HTMLDivElement
  onMount(() => line.showPopover?.())
  const act = (): void => { props.toast.action?.run(); props.shell.hide() }
  return (
    <div class="toast" popover="manual" ref={line}>
      <span>{props.toast.text}</span>
      <Show when={props.toast.action}>{(action) => <button type="button" class="btn s" onClick={act}>{action().label}</button>}</Show>
    </div>
  )
}
