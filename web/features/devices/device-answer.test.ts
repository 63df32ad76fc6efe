import { expect, test } from 'vitest'
import { type Device, newcomer } from './device-answer.ts'

test('the device that used a code is the one that was not there before', () => {
  const device = (deviceId: string): Device => ({ deviceId, name: deviceId, lastSeenAtMs: 0, grants: [] })
  expect(newcomer(null, [device('a')])).toBeNull()
  expect(newcomer(['a', 'b'], [device('a')])).toBeNull()
  expect(newcomer(['a'], [device('a'), device('b')])?.name).toBe('b')
})
