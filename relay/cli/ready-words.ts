/** What the relay says when it is ready, and when it cannot be: for people, and as one line of JSON for programs. Pure. */
import { REFUSALS, type Refused, wordsOf } from '#protocol/refusal/refusal.ts'
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import type { Decided } from '../hermes-choice/choice.ts'

export type Ready = { port: number; claimCode: string; claimUrl: string; lanClaimUrl: string | null; pid: number; hermes: HermesFacts; isPageBuilt: boolean; isLan: boolean; canPressEnter: boolean; decided: Decided; isInstalling: boolean }

export const readyJson = ({ port, claimUrl, claimCode, pid, hermes }: Ready): string =>
  `${JSON.stringify({ url: `http://localhost:${port}`, appUrl: `http://localhost:${port}/app/`, claimUrl, claimCode, port, pid, hermes: { kind: hermes.kind, version: hermes.version } })}\n`

export function readyText(ready: Ready): string {
  const lines = [
    '', 'Hermes Relay is ready. Open this link in a browser on this machine:', '', `  ${ready.claimUrl}`, '',
    ...(ready.lanClaimUrl === null ? [] : ['On a phone or another computer in this network:', '', `  ${ready.lanClaimUrl}`, '']),
    `The code in it (${ready.claimCode}) works once, for ten minutes.${ready.canPressEnter ? ' Press Enter for a new one.' : ''}`,
    'Who controls whom: that browser will control the Hermes on this machine, with your rights. It never works the other way round.',
    hermesLine(ready),
    ...(ready.isLan ? LAN_LINES : []),
    ...(ready.isPageBuilt ? [] : ['The page is not built yet: run npm run build.']), '',
  ]
  return `${lines.join('\n')}\n`
}

/** Ruling 6: what a plain-HTTP address in the network cannot do. */
const LAN_LINES = [
  'Anyone in this network can reach the relay (not use it without a code), and traffic to it is not encrypted.',
  'Over plain HTTP other devices have no offline start, no notifications, no microphone, no camera and no clipboard button.',
]

/** What answers, and how to change it. */
function hermesLine({ decided: { choice, by }, isInstalling, hermes: { kind, ready, version } }: Ready): string {
  if (isInstalling) return 'Hermes: is being installed into the data folder. Until it is ready, a built-in demo answers.'
  if (choice.kind === 'demo' && by !== 'found') return 'Hermes: a built-in demo answers, as you asked; no real agent is used.'
  if (choice.kind === 'demo') return `Hermes: none found on this machine; a built-in demo answers instead. For a real one start the relay with one of these, or choose in the app:\n${REAL_ONES}`
  if (choice.kind === 'provider') return `Hermes: the built-in agent answers, with ${choice.model} of ${new URL(choice.baseUrl).host}${by === 'found' ? ', which was found here' : ''}. For the whole Hermes: --hermes managed.`
  if (choice.kind === 'managed') return `Hermes: the relay's own ${ready ? `runs${version === null ? '' : `, version ${version}`}` : 'is starting; messages wait'}. It ends with the relay.`
  if (!ready) return 'Hermes: does not answer yet; the relay keeps trying. Messages wait.'
  return `Hermes: found${version === null ? '' : `, version ${version}`} (${kind}).`
}

const REAL_ONES = '  --hermes managed                          installs Hermes into the data folder and runs it\n  --provider <address> --model <name>       a small built-in agent with the model of any OpenAI-compatible server'

/** One line for each phase of an installation; those of a phase overwrite each other where the terminal can. */
export function progressText({ phase, done, total, line }: { phase: string; done: number; total: number; line: string }): string {
  const percent = Math.floor((100 * done) / Math.max(1, total))
  return phase === 'failed' ? `Hermes: ${line}` : phase === 'ready' ? 'Hermes: installed and running.' : `Hermes: ${String(percent).padStart(3)} %  ${line}`
}

export const newCodeText = (claimUrl: string): string => `\nA new link, good for ten minutes:\n\n  ${claimUrl}\n\n`

export const alreadyRunningText = (port: number): string => `Hermes Relay already runs: http://localhost:${port}/app/\n`

export function refusedText({ code, detail }: Refused): string {
  const { say, next, facts: more } = wordsOf(code, detail)
  if (code === 'config_invalid') return `${REFUSALS[code].say} ${String(detail.key)} (${String(detail.source)}): allowed is ${String(detail.allowed)}.\n`
  const facts = Object.entries(more).map(([name, value]) => `${name} ${String(value)}`).join(', ')
  return `${say}${facts === '' ? '' : ` (${facts})`} ${next}\n`
}

export function goodbyeText(runningTurns: number): string {
  if (runningTurns === 0) return 'Hermes Relay ends.\n'
  return `Hermes Relay ends. ${runningTurns === 1 ? 'One turn goes' : `${runningTurns} turns go`} on in Hermes without it; start the relay again to see the rest.\n`
}
