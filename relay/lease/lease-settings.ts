/** What a person chose for a conversation, as calls for this session only: nothing here may write global configuration (contract gateway.md 8.1). */
import type { LeaseDraft } from './lease-draft.ts'
import type { LeaseState, RpcWish } from './lease-state.ts'

/** `chosen`: by a person after the conversation had begun. */
export function optionWishes(options: LeaseState['options'], liveId: string, chosen = false): RpcWish[] {
  const wishes: RpcWish[] = []
  if (options?.model) {
    const value = options.provider ? `${options.model} --provider ${options.provider}` : options.model
    wishes.push({ method: 'config.set', params: { key: 'model', value, session_id: liveId } })
  }
  if (options?.approval_mode === 'off') wishes.push({ method: 'config.set', params: { key: 'yolo', value: '1', scope: 'session', session_id: liveId } })
  // A session begins so; it is said where it takes something back.
  if (chosen && options?.approval_mode === 'manual') wishes.push({ method: 'config.set', params: { key: 'yolo', value: '0', scope: 'session', session_id: liveId } })
  return wishes
}

type Chosen = { model: string | null; provider: string | null; yolo: boolean | null }

/** Takes effect with the next message: 0.19.0 refuses a change in the middle of a turn (Verified 21). What was chosen is shown as chosen until Hermes confirms it. */
export function chooseSettings(d: LeaseDraft, { model, provider, yolo }: Chosen): void {
  const before = d.state.options ?? {}
  d.state.options = {
    ...before, ...(model === null ? {} : { model, ...(provider === null ? {} : { provider }) }), ...(yolo === null ? {} : { approval_mode: yolo ? 'off' : 'manual' }),
  }
  if (model !== null && provider === null) delete d.state.options.provider
  d.state.configured = null
  d.state.chosen = true
  const wanted = d.state.view.wanted ?? { model: null, yolo: null }
  d.emit({ kind: 'wanted', wanted: { model: model ?? wanted.model, yolo: yolo ?? wanted.yolo } })
  d.saveSession()
}
