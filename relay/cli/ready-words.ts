/** What the relay says when it is ready, and when it cannot be: for people, and as one line of JSON for programs. Pure. */
import { REFUSALS, type Refused } from '#protocol/refusal/refusal.ts'
import type { HermesFacts } from '#protocol/system/system-frame.ts'

export type Ready = { port: number; claimCode: string; claimUrl: string; lanClaimUrl: string | null; pid: number; hermes: HermesFacts; isPageBuilt: boolean; isLan: boolean; canPressEnter: boolean; isDemoChosen: boolean }

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

function hermesLine({ isDemoChosen, hermes: { kind, ready, version, demo } }: Ready): string {
  if (demo && isDemoChosen) return 'Hermes: a built-in demo answers, as you asked; no real agent is used.'
  if (demo) return 'Hermes: none found on this machine; a built-in demo answers instead. Start Hermes, then start the relay again.'
  if (!ready) return 'Hermes: does not answer yet; the relay keeps trying. Messages wait.'
  return `Hermes: found${version === null ? '' : `, version ${version}`} (${kind}).`
}

export const newCodeText = (claimUrl: string): string => `\nA new link, good for ten minutes:\n\n  ${claimUrl}\n\n`

export const alreadyRunningText = (port: number): string => `Hermes Relay already runs: http://localhost:${port}/app/\n`

export function refusedText({ code, detail }: Refused): string {
  const { say, next } = REFUSALS[code]
  if (code === 'config_invalid') return `${say} ${String(detail.key)} (${String(detail.source)}): allowed is ${String(detail.allowed)}.\n`
  const facts = Object.entries(detail).map(([name, value]) => `${name} ${String(value)}`).join(', ')
  return `${say}${facts === '' ? '' : ` (${facts})`} ${next}\n`
}

export function goodbyeText(runningTurns: number): string {
  if (runningTurns === 0) return 'Hermes Relay ends.\n'
  return `Hermes Relay ends. ${runningTurns === 1 ? 'One turn goes' : `${runningTurns} turns go`} on in Hermes without it; start the relay again to see the rest.\n`
}
