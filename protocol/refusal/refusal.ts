/** Every expected failure, by stable code. A code is never renamed or reused; its sentence may get better. */

type Entry = { http: number; retry: 'never' | 'later' | 'now'; say: string; next: string }

export const REFUSALS = {
  // Wire and hub.
  frame_malformed: { http: 400, retry: 'never', say: 'That message could not be read.', next: 'Reload the page to get the current app.' },
  frame_too_large: { http: 413, retry: 'never', say: 'That message is larger than the relay accepts.', next: 'Shorten the text, then send again.' },
  channel_unknown: { http: 404, retry: 'never', say: 'This relay does not know that feature.', next: 'Update the relay.' },
  grant_missing: { http: 403, retry: 'never', say: 'This device may not do that.', next: 'Ask the person who runs the relay to allow it.' },
  slow_reader: { http: 503, retry: 'now', say: 'The connection could not keep up.', next: 'The page reconnects by itself; nothing is lost.' },
  too_many_sockets: { http: 503, retry: 'later', say: 'Too many pages are connected.', next: 'Close a page, then try again.' },
  rate_limited: { http: 429, retry: 'later', say: 'Too many failed attempts.', next: 'Wait a few minutes, or make a fresh code on the host.' },
  client_outdated: { http: 426, retry: 'now', say: 'The relay was updated and this page is too old for it.', next: 'Reload the page. Drafts and unsent messages stay.' },

  // Door.
  auth_required: { http: 401, retry: 'never', say: 'This browser is not signed in to the relay.', next: 'Open the link that the relay printed, or type its code.' },
  session_revoked: { http: 401, retry: 'never', say: 'This device was signed out.', next: 'Get a new code on the host, or from a signed-in device.' },
  code_used: { http: 409, retry: 'never', say: 'This code was already used.', next: 'Press Enter in the relay’s terminal, or choose “Add a device” in a signed-in page.' },
  code_expired: { http: 410, retry: 'never', say: 'This code is older than ten minutes.', next: 'Press Enter in the relay’s terminal, or choose “Add a device” in a signed-in page.' },
  code_unknown: { http: 404, retry: 'never', say: 'The relay does not know this code.', next: 'Check the six characters, or get a new code on the host.' },
  device_unknown: { http: 404, retry: 'never', say: 'There is no such device.', next: 'Refresh the list of devices.' },
  host_refused: { http: 421, retry: 'never', say: 'The relay does not answer under this name.', next: 'Use the address that the relay printed, or add this name with --host-name.' },
  origin_refused: { http: 403, retry: 'never', say: 'Another website tried to use this relay.', next: 'Open the app from the address that the relay printed.' },
  method_refused: { http: 405, retry: 'never', say: 'That is not possible here.', next: 'Reload the page.' },
  route_unknown: { http: 404, retry: 'never', say: 'There is nothing here.', next: 'Open /app/.' },
  body_too_large: { http: 413, retry: 'never', say: 'That request is too large.', next: 'Send less at once.' },
  body_malformed: { http: 400, retry: 'never', say: 'That request could not be read.', next: 'Reload the page.' },

  // Chat.
  session_unknown: { http: 404, retry: 'never', say: 'Hermes does not know this conversation.', next: 'Refresh the list of conversations.' },
  message_empty: { http: 400, retry: 'never', say: 'There is nothing to send.', next: 'Write something first.' },
  message_too_long: { http: 413, retry: 'never', say: 'The message is longer than 1 MiB.', next: 'Shorten it, or put the long part in a file.' },
  attachments_unsupported: { http: 400, retry: 'never', say: 'Attachments cannot be sent yet.', next: 'Remove them, then send again.' },
  queue_full: { http: 409, retry: 'later', say: 'Too many messages are waiting in this conversation.', next: 'Wait for the agent, or remove one from the queue.' },
  message_id_taken: { http: 409, retry: 'never', say: 'Another message already has this id.', next: 'Send it again; it gets a new id.' },
  queue_item_gone: { http: 409, retry: 'never', say: 'That message has already been sent.', next: 'Send a new one.' },
  ask_unknown: { http: 404, retry: 'never', say: 'That question is no longer open.', next: 'Read on in the conversation.' },
  ask_already_answered: { http: 409, retry: 'never', say: 'Another device answered first.', next: 'Its answer is shown in the conversation.' },
  ask_expired: { http: 410, retry: 'never', say: 'The agent stopped waiting for this answer.', next: 'Ask it to try again.' },
  answer_malformed: { http: 400, retry: 'never', say: 'That is not one of the possible answers.', next: 'Choose one of the answers shown.' },
  turn_not_retryable: { http: 409, retry: 'never', say: 'This turn cannot be run again: it is not the last one, or it did not fail.', next: 'Send the message again instead.' },
  nothing_running: { http: 409, retry: 'never', say: 'Nothing is running in this conversation.', next: 'Send a message.' },
  steer_rejected: { http: 409, retry: 'now', say: 'The agent cannot take a hint right now.', next: 'The text waits in the queue instead.' },
  lease_limit: { http: 503, retry: 'later', say: 'Too many conversations are open on the relay.', next: 'Close one, then try again.' },

  // Hermes.
  upstream_unreachable: { http: 502, retry: 'later', say: 'The relay cannot reach Hermes.', next: 'Check that Hermes runs on the host. The message waits.' },
  upstream_sign_in: { http: 502, retry: 'never', say: 'Hermes asks the relay to sign in.', next: 'Set the dashboard user and password in the relay’s configuration.' },
  upstream_timeout: { http: 504, retry: 'later', say: 'Hermes took too long to answer.', next: 'Try again.' },
  upstream_refused: { http: 502, retry: 'never', say: 'Hermes refused.', next: 'Read its message.' },
  upstream_too_large: { http: 502, retry: 'never', say: 'The answer of Hermes is larger than the relay passes on.', next: 'Ask for less at once.' },
  not_allowed: { http: 403, retry: 'never', say: 'The relay does not pass this on to Hermes.', next: 'Use the Hermes dashboard on the host itself.' },

  // What stands behind the relay.
  agent_fixed: { http: 409, retry: 'never', say: 'A setting of the relay decides what answers.', next: 'Start the relay without --hermes, --provider and --model (also in its environment and config.json) to choose here.' },
  agent_busy: { http: 409, retry: 'later', say: 'The relay is changing what answers just now.', next: 'Wait until it is done.' },
  agent_failed: { http: 500, retry: 'later', say: 'That agent could not be started; what was there before answers again.', next: 'Look at the relay’s terminal, then try again.' },
  python_missing: { http: 409, retry: 'never', say: 'Hermes cannot be installed on this host yet.', next: 'Install what is missing, then try again.' },
  provider_url_refused: { http: 400, retry: 'never', say: 'That is not the address of a model server.', next: 'Enter an http or https address without user and password in it, such as http://127.0.0.1:11434/v1.' },
  provider_failed: { http: 502, retry: 'later', say: 'The model server gave no list of models.', next: 'Check its address and key.' },
  model_unknown: { http: 400, retry: 'never', say: 'The model server did not say which models it has.', next: 'Name one with --model.' },

  // Store and start.
  store_full: { http: 507, retry: 'later', say: 'The disk of the host is full, so the message could not be kept safe.', next: 'Make room on the host. The text stays here.' },
  store_failed: { http: 500, retry: 'later', say: 'The relay could not write its data.', next: 'Look at the relay’s terminal. The text stays here.' },
  store_too_new: { http: 500, retry: 'never', say: 'A newer relay wrote this data.', next: 'Update the relay, or restore a backup.' },
  store_locked: { http: 500, retry: 'later', say: 'Another relay uses this data folder.', next: 'Stop the other one, or choose another folder with --data-dir.' },
  store_unwritable: { http: 500, retry: 'never', say: 'The data folder cannot be written.', next: 'Fix its owner, or choose another folder with --data-dir.' },
  port_taken: { http: 500, retry: 'never', say: 'Another program uses this port.', next: 'Choose another with --port.' },
  config_invalid: { http: 500, retry: 'never', say: 'A setting has a value that is not allowed.', next: 'Correct it, then start again.' },
  internal: { http: 500, retry: 'later', say: 'The relay made a mistake.', next: 'Try again. If it stays, report it with the log of the relay.' },
} as const satisfies Record<string, Entry>

export type RefusalCode = keyof typeof REFUSALS

/** Thrown only where nothing can be returned: an HTTP handler, start-up. Cores and channels return the code. */
export class Refused extends Error {
  readonly code: RefusalCode
  /** Facts for the person (never secrets): a key, an allowed value, a path. */
  readonly detail: Readonly<Record<string, unknown>>
  constructor(code: RefusalCode, detail: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(`${code}: ${REFUSALS[code].say}`, { cause })
    this.name = 'Refused'
    this.code = code
    this.detail = detail
  }
}

export type RefusalBody = { code: RefusalCode; say: string; next: string; retry: Entry['retry'] } & { detail?: Readonly<Record<string, unknown>> }

/** What goes over the wire for a refusal: code, sentence, next step. One that knows more than its code brings `say` and `next` of its own. */
export function refusalBody(code: RefusalCode, detail: Readonly<Record<string, unknown>> = {}): RefusalBody {
  const { retry } = REFUSALS[code]
  const { say, next, facts } = wordsOf(code, detail)
  return Object.keys(facts).length > 0 ? { code, say, next, retry, detail: facts } : { code, say, next, retry }
}

export function wordsOf(code: RefusalCode, { say, next, ...facts }: Readonly<Record<string, unknown>>): { say: string; next: string; facts: Record<string, unknown> } {
  return { say: typeof say === 'string' ? say : REFUSALS[code].say, next: typeof next === 'string' ? next : REFUSALS[code].next, facts }
}

/** A broken promise of our own code. */
export function invariant(holds: unknown, promise: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${promise}`)
}

/** A switch that must be exhaustive: a new kind does not compile until it has an answer. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
