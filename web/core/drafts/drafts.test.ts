import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DraftEffect, type DraftInput, initialDraft, stepDraft } from './drafts.ts'

test('the disk ends with the last words, with one write at a time', () => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom<'ok' | 'bad'>('ok', 'bad')), { maxLength: 40 }), (script) => {
    let state = initialDraft('k')
    let disk = ''
    let onItsWay: string | null = null
    const give = (input: DraftInput): void => {
      const [next, effect] = stepDraft(state, input)
      state = next
      if (effect?.kind === 'store') {
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
  const [typed] = stepDraft(initialDraft('k'), { kind: 'typed', text: 'new' })
  expect(stepDraft(typed, { kind: 'loaded', text: 'old' })[0].text).toBe('new')
  expect(stepDraft(initialDraft('k'), { kind: 'loaded', text: 'old' })[0].text).toBe('old')
})

test('a draft moves to the stored id of its conversation, also in the middle of a write; the last words win', () => {
  fc.assert(fc.property(fc.array(fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom<'ok' | 'name'>('ok', 'name')), { maxLength: 40 }), (script) => {
    let state = initialDraft('draft:1')
    const disk = new Map<string, string>()
    const onItsWay: DraftEffect[] = []
    const give = (input: DraftInput): void => {
      const [next, ...effects] = stepDraft(state, input)
      state = next
      onItsWay.push(...effects)
    }
    const answer = (): void => {
      for (const effect of onItsWay.splice(0)) {
        if (effect.kind === 'forget') disk.delete(effect.key)
        else if (effect.text === '') disk.delete(effect.key)
        else disk.set(effect.key, effect.text)
        if (effect.kind === 'store') give({ kind: 'stored' })
      }
    }
    for (const step of script) {
      if (step === 'ok') answer()
      else if (step === 'name') give({ kind: 'named', key: 'stored', text: '' })
      else give({ kind: 'typed', text: step })
    }
    give({ kind: 'typed', text: 'the last words' })
    give({ kind: 'named', key: 'stored', text: '' })
    for (let round = 0; round < 4; round += 1) answer()
    expect([...disk]).toEqual([['stored', 'the last words']])
  }))
})

test('a conversation that gets its id takes the words that lie there only when it has none of its own', () => {
  const named: DraftInput = { kind: 'named', key: 'stored', text: 'of another tab' }
  expect(stepDraft(initialDraft('draft:1'), named)).toEqual([{ ...initialDraft('stored'), text: 'of another tab', stored: 'of another tab' }])
  const [own] = stepDraft({ ...initialDraft('draft:1'), text: 'mine', stored: 'mine' }, named)
  expect(own).toMatchObject({ key: 'stored', text: 'mine', writing: 'mine' })
})
