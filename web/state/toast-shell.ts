/** One line at the bottom that says what happened, with at most one way back. */
import { createSignal } from 'solid-js'

export type Toast = { text: string; action: { label: string; run(): void } | null; untilMs: number }
export type ToastShell = ReturnType<typeof createToastShell>

export function createToastShell() {
  const [toast, setToast] = createSignal<Toast | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  const hide = (): void => { clearTimeout(timer); setToast(null) }
  return {
    toast, hide,
    show(text: string, action: Toast['action'] = null, forMs = 6_000): void {
      clearTimeout(timer)
      setToast({ text, action, untilMs: Date.now() + forMs })
      timer = setTimeout(hide, forMs)
    },
  }
}
