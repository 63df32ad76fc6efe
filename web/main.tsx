/** Starts the page: storage, then who we are, then what to show. */
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './ui/tokens.css'
import './ui/base.css'
import './app.css'
import './window-controls.css'
import { createSignal, Match, Switch } from 'solid-js'
import { render } from 'solid-js/web'
import { ChatPage, loadTranscript } from '#web/features/chat/index.ts'
import { ClaimPage } from '#web/features/claim/index.ts'
import { createCredentials } from '#web/net/relay/credentials.ts'
import { takeClaimCode } from '#web/platform/claim-fragment.ts'
import { createPageStorage, type DeviceRecord } from '#web/storage/page-storage.ts'
import { prepareSound } from './platform/attention.ts'
import { saveWhenLeft } from './platform/before-leave.ts'
import { watchChunks } from './platform/chunk-gone.ts'
import { whenIdle } from './platform/idle.ts'
import { layers } from './state/layers.ts'
import { startPreferences } from './state/preferences.ts'
import { type Kept, readKept, Shell } from './shell.tsx'

startPreferences()
layers() // Hears Escape and Back before anything can lie over the page.
const code = takeClaimCode() // Before anything else: a code must not stay in the address bar or the history.
// A link that is opened while the page is here already changes the fragment alone.
window.addEventListener('hashchange', () => { if (location.hash.startsWith('#claim=')) location.reload() })
const base = location.origin
watchChunks()
saveWhenLeft()
/** The page is drawn with its conversation, in one go; without it after this time, in ms. */
const CHAT_WITHIN_MS = 500
if (/^#\/c\/(?!draft)/.test(location.hash)) void loadTranscript().catch(() => undefined)
const chat = Promise.resolve(ChatPage.preload()).catch(() => undefined) // Where it is needed the failure is shown.

async function start(): Promise<void> {
  const storage = await createPageStorage()
  const credentials = createCredentials(base, storage.devices)
  const [device, kept] = await Promise.all([
    credentials.read().catch(() => null), readKept(storage),
    Promise.race([chat, new Promise((resolve) => setTimeout(resolve, CHAT_WITHIN_MS))]),
  ])
  const [signedIn, setSignedIn] = createSignal<{ device: DeviceRecord; kept: Kept } | null>(code || !device ? null : { device, kept })
  const [why, setWhy] = createSignal<{ say: string; next: string } | null>(null)
  prepareSound()
  const root = document.getElementById('app')
  if (!root) throw new Error('no #app in index.html')
  render(() => (
    <Switch>
      <Match when={signedIn()} keyed>{(known) => <Shell base={base} storage={storage} credentials={credentials} device={known.device} kept={known.kept} onSignedOut={(reason) => { setWhy(reason); setSignedIn(null) }} />}</Match>
      <Match when={!signedIn()}>
        <ClaimPage base={base} code={code} known={device} why={why()} durable={storage.durable} credentials={credentials} onClaimed={(claimed) => { void readKept(storage).then((now) => setSignedIn({ device: claimed, kept: now })) }} />
      </Match>
    </Switch>
  ), root)
}
void start()
whenIdle(() => void import('./platform/service-worker.ts').then((worker) => worker.startServiceWorker(), () => undefined))
