/** Questions of the agent: what it asks, what may be answered (contract gateway.md 6.1, Verified 13-15). */
import * as z from 'zod/mini'

export const AskKind = z.enum(['approval', 'clarify', 'sudo', 'secret'])
export type AskKind = z.infer<typeof AskKind>

/** A question as upstream put it. `requestId` is null for an approval: it is correlated by its session. */
export type AskFact = {
  kind: AskKind; requestId: string | null; title: string; command: string | null; description: string | null
  choices: string[]; freeText: boolean; envVar: string | null; timeoutS: number | null
}

/** Seconds that upstream waits by default; never announced, so our deadline is an estimate (Verified 13, 14). */
export const ASK_WAIT_S = { approval: 60, clarify: 300, sudo: 120, secret: 300 } as const satisfies Record<AskKind, number>

const APPROVAL_WORDS = ['once', 'session', 'always', 'deny']

type Payload = Readonly<Record<string, unknown>>
const str = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [])

/** The question in a `<kind>.request` event, or null when it cannot be understood. */
export function askFromGateway(type: string, payload: Payload): AskFact | null {
  const requestId = str(payload['request_id'])
  const timeoutS = typeof payload['timeout_seconds'] === 'number' && payload['timeout_seconds'] > 0 ? payload['timeout_seconds'] : null
  const base = { requestId, command: null, description: null, choices: [], freeText: false, envVar: null, timeoutS }
  switch (type) {
    case 'approval.request':
      return {
        ...base, kind: 'approval', requestId: null, title: 'Run this command?', command: str(payload['command']), description: str(payload['description']), choices: approvalChoices(payload),
      }
    case 'clarify.request':
      return requestId ? { ...base, kind: 'clarify', title: str(payload['question']) ?? 'The agent has a question', choices: clarifyChoices(payload['choices']), freeText: true } : null
    case 'sudo.request':
      return requestId ? { ...base, kind: 'sudo', title: 'Elevated permissions requested', description: 'The agent needs the administrator password of its machine.', freeText: true } : null
    case 'secret.request': {
      if (!requestId) return null
      const envVar = str(payload['env_var'])
      const help = typeof payload['metadata'] === 'object' && payload['metadata'] !== null ? str((payload['metadata'] as Payload)['help']) : null
      return { ...base, kind: 'secret', title: str(payload['prompt']) ?? `A value for ${envVar ?? 'a secret'}`, description: help, envVar, freeText: true }
    }
    default: return null
  }
}

/** Advertised, minus what the flags forbid: the flag wins (contract gateway.md 6.1). */
export function approvalChoices(payload: Payload): string[] {
  const advertised = strings(payload['choices'])
  const smartDenied = payload['smart_denied'] === true
  if (advertised.length === 0) return smartDenied ? ['once', 'deny'] : ['approve', 'deny']
  const forbidden = new Set([
    ...(payload['allow_session'] === false ? ['session'] : []), ...(payload['allow_permanent'] === false ? ['always'] : []), ...(smartDenied ? ['session', 'always'] : []),
  ])
  const offered = advertised.filter((word) => APPROVAL_WORDS.includes(word) && !forbidden.has(word))
  return offered.length > 0 ? [...new Set(offered)] : ['deny']
}

/** Trimmed, not empty, no repeats, at most four. */
export const clarifyChoices = (value: unknown): string[] => [...new Set(strings(value).map((choice) => choice.trim()).filter((choice) => choice !== ''))].slice(0, 4)

/** Where a question stands. `overdue`: probably expired, still answerable. `answering`: one RPC is on its way. */
export const AskState = z.enum(['open', 'overdue', 'answering', 'answered', 'expired'])
export type AskState = z.infer<typeof AskState>

/** A question as every device of the person sees it. Never holds the answer to a secret or a password. */
export const AskView = z.lazy(() => z.object({
  askId: z.string(), kind: AskKind, state: AskState, title: z.string(), command: z.nullable(z.string()), description: z.nullable(z.string()),
  choices: z.array(z.string()), freeText: z.boolean(), envVar: z.nullable(z.string()),
  raisedAtMs: z.number(), deadlineAtMs: z.number(),
  /** Who answered and what, in words; for secrets only that it was answered. */
  answeredBy: z.nullable(z.string()), answer: z.nullable(z.string()),
}))
export type AskView = z.infer<typeof AskView>
