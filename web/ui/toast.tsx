/** Shows the one current toast; polite, with its way back as a button. */
import { Show } from 'solid-js'
import type { ToastShell } from '#web/state/toast-shell.ts'

export function ToastView(props: { shell: ToastShell }) {
  const act = (): void => { props.shell.toast()?.action?.run(); props.shell.hide() }
  return (
    <div role="status" aria-live="polite">
      <Show when={props.shell.toast()}>{(toast) => (
        <div class="toast">
          <span>{toast().text}</span>
          <Show when={toast().action}>{(action) => <button type="button" class="btn s" onClick={act}>{action().label}</button>}</Show>
        </div>
      )}</Show>
    </div>
  )
}
