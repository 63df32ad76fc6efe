/** Fragments of the address: every page is found again, everything else is said to be unknown. */
import { expect, test } from 'vitest'
import { parsePlace } from './route.ts'

test.each([
  ['', { page: 'chat', chatKey: 'draft:1' }], ['#', { page: 'chat', chatKey: 'draft:1' }], ['#/', { page: 'chat', chatKey: 'draft:1' }],
  ['#/c/20260101_x', { page: 'chat', chatKey: '20260101_x' }], ['#/c/a%2Fb', { page: 'chat', chatKey: 'a/b' }], ['#/c/a/b', { page: 'chat', chatKey: 'a/b' }],
  ['#/devices', { page: 'devices' }], ['#/agent', { page: 'agent' }], ['#/settings', { page: 'settings', section: null }], ['#/settings/chat', { page: 'settings', section: 'chat' }], ['#/dev/ui', { page: 'dev-ui' }],
  ['#/settings/nothing', { page: 'unknown', hash: '#/settings/nothing' }], ['#/c/%E0%A4%A', { page: 'unknown', hash: '#/c/%E0%A4%A' }], ['#/elsewhere', { page: 'unknown', hash: '#/elsewhere' }], ['#/c/', { page: 'unknown', hash: '#/c/' }],
])('%s', (hash, place) => expect(parsePlace(hash, 'draft:1')).toEqual(place))
