import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DraftInput, initialDraft, stepDraft } from './drafts.ts'

test('the disk ends with the last words, with one write at a time', () => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom<'ok' | 'bad'>('ok', 'bad')), { maxLength: 40 }), (script) => {
    let state = initialDraft
    let disk = ''
    let onItsWay: string | null = null
    const give = (input: DraftInput): void => {
      const [next, effect] = stepDraft(state, input)
      state = next
      if (effect) {
        expect(onItsWay).toBeNull()
        onItsWay = effect.text
      }
    }
    const answer = (fine: boolean): void => {
      if (onItsWay === null) return
      if (fine) disk = onItsWay
      onItsWay = null
      give({ kind: fine ? 'stored' : 'store_failed' })
    }
    for (const step of script) {
      if (step === 'ok') answer(true)
      else if (step === 'bad') answer(false)
      else give({ kind: 'typed', text: step })
    }
    give({ kind: 'typed', text: 'the last words' })
    for (let round = 0; round < 3; round += 1) answer(true)
    expect(disk).toBe('the last words')
  }))
})

test('a slow disk does not overwrite what was typed meanwhile', () => {
  const [typed] = stepDraft(initialDraft, { kind: 'typed', text: 'new' })
  expect(stepDraft(typed, { kind: 'loaded', text: 'old' })[0].text).toBe('new')
  expect(stepDraft(initialDraft, { kind: 'loaded', text: 'old' })[0].text).toBe('old')
})
