/** Calls a person back while a question waits: title, a short sound, a notification (permission is asked on a click only). */
const BASE_TITLE = 'Hermes Relay'

export function setTitle(waiting: number, name: string): void {
  document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${name ? `${name} · ` : ''}${BASE_TITLE}`
}

export type NotifyState = 'absent' | 'ask' | 'on' | 'blocked'
export function notifyState(): NotifyState {
  if (typeof Notification === 'undefined' || !isSecureContext) return 'absent'
  return Notification.permission === 'granted' ? 'on' : Notification.permission === 'denied' ? 'blocked' : 'ask'
}

export async function askNotify(): Promise<NotifyState> {
  if (typeof Notification !== 'undefined') await Notification.requestPermission()
  return notifyState()
}

export function notify(title: string, body: string, tag: string, onClick: () => void): void {
  if (notifyState() !== 'on') return
  try {
    const shown = new Notification(title, { body, tag, icon: `${import.meta.env.BASE_URL}icon.svg` })
    shown.onclick = () => { window.focus(); onClick(); shown.close() }
  } catch {
    // Android allows notifications from a service worker only; title and sound remain.
  }
}

let audio: AudioContext | null = null
/** Browsers play sound only after a gesture; the first click or key prepares it. */
export function prepareSound(): void {
  const prepare = (): void => { audio ??= typeof AudioContext === 'undefined' ? null : new AudioContext() }
  window.addEventListener('pointerdown', prepare, { once: true })
  window.addEventListener('keydown', prepare, { once: true })
}

/** Two soft notes. */
export function chime(): void {
  if (!audio) return
  void audio.resume()
  for (const [index, pitch] of [659, 880].entries()) {
    const at = audio.currentTime + index * 0.14
    const tone = audio.createOscillator()
    const gain = audio.createGain()
    tone.frequency.value = pitch
    gain.gain.setValueAtTime(0, at)
    gain.gain.linearRampToValueAtTime(0.08, at + 0.02)
    gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.4)
    tone.connect(gain).connect(audio.destination)
    tone.start(at)
    tone.stop(at + 0.42)
  }
}
