/**
 * Why a turn failed, for a person: a sentence and what to do. Agents pass on what a model's server or its library wrote, in a shape of
 * its own for each; the known ones are told by their status or their words, and those words stay below as a detail. Pure.
 */

/** A longer detail, or one of several lines, is folded away. */
export const DETAIL_SHOWN_CHARS_MAX = 140

/** `detail`: what was said upstream, unchanged. */
export type TurnFailure = { say: string; next: string | null; detail: string | null }
type Shape = { status?: (status: number) => boolean; words?: RegExp; say: string; next: string }

/** The first that fits; what is told in words comes before what a status only hints at. */
const SHAPES: readonly Shape[] = [
  {
    words: /context[ _](?:length|window|size|limit)|maximum context|too many (?:input )?tokens|(?:prompt|input|request|conversation) (?:is|was) too (?:long|large)|reduce the length|request_too_large/i, status: (status) => status === 413,
    say: 'The conversation is too long for this model.', next: 'Start a new chat, or choose a model that takes more.',
  },
  {
    words: /insufficient[ _](?:quota|credits?|funds|balance)|(?:exceeded|out of|over) (?:your )?(?:current )?quota|credit balance|billing|payment required/i, status: (status) => status === 402,
    say: 'The account at the model provider has no quota or credit left.', next: 'Look at that account, or choose another model.',
  },
  {
    words: /(?:invalid|incorrect|missing|no|bad) (?:x-)?api[- _]?key|invalid_api_key|authentication[ _](?:error|failed)|unauthori[sz]ed|permission[ _]denied[ _]error/i, status: (status) => status === 401 || status === 403,
    say: 'The model provider refused the key.', next: 'Check the key in the settings of the agent, then try again.',
  },
  {
    words: /rate[- _]?limit|too many requests/i, status: (status) => status === 429,
    say: 'The model provider takes no more requests now.', next: 'Wait a moment and try again, or choose another model.',
  },
  {
    words: /\bmodel\b[^.\n]{0,120}\b(?:not found|does not exist|not available|not supported)|(?:unknown|no such|invalid) model\b|model_not_found/i, status: (status) => status === 404,
    say: 'The model provider does not know this model.', next: 'Choose another model, or check its name in the settings of the agent.',
  },
  {
    words: /internal server error|bad gateway|service unavailable|gateway time-?out|overloaded|server_error/i, status: (status) => status >= 500,
    say: 'The model provider has a problem.', next: 'Try again in a moment.',
  },
  {
    words: /timed?[- ]?out|ETIMEDOUT|deadline exceeded/i, status: (status) => status === 408,
    say: 'The model provider did not answer in time.', next: 'Try again in a moment.',
  },
  {
    words: /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|connection (?:error|refused|reset|aborted|failed)|connect(?:ion)? attempts failed|(?:failed|unable|could not) to? ?connect|getaddrinfo|name or service not known|network is unreachable/i,
    say: 'The model provider cannot be reached.', next: 'Check that its server runs and that the machine of the agent is online, then try again.',
  },
]

/** `isPlain`: the words are sentences for people already, as those of the small agent are. */
export function turnFailure(words: string | null, isPlain: boolean): TurnFailure {
  const told = words?.trim() ?? ''
  if (told === '') return { say: 'The agent could not finish this turn.', next: null, detail: null }
  if (isPlain) return { say: told, next: null, detail: null }
  const status = statusOf(told)
  // A status that is written there is worth more than a word that happens to stand in the same line.
  const shape = SHAPES.slice(0, 2).find((one) => one.words?.test(told)) ?? (status === null ? undefined : SHAPES.find((one) => one.status?.(status))) ?? SHAPES.find((one) => one.words?.test(told))
  return shape ? { say: shape.say, next: shape.next, detail: told } : { say: 'The agent could not finish this turn.', next: null, detail: told }
}

/** The status of HTTP in the words, where it is called one. */
function statusOf(words: string): number | null {
  const found = /\b(?:HTTP(?:\/\d(?:\.\d)?)?|status(?:[ _]code)?|error(?:[ _]code)?|code)["']?[\s:=#(]{1,3}([45]\d\d)\b/i.exec(words) ?? /^(?:Error: )?([45]\d\d)\b/.exec(words)
  return found ? Number(found[1]) : null
}

/** Whether the detail stands open below the sentence. */
export const isShortDetail = (detail: string): boolean => detail.length <= DETAIL_SHOWN_CHARS_MAX && !detail.includes('\n')
