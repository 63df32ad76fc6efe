/** Sizes in words. */
import { expect, test } from 'vitest'
import { megabytes } from './megabytes.ts'

test.each([[0, '0.0 MB'], [420_000, '0.4 MB'], [12_300_000, '12 MB'], [3_100_000_000, '3.1 GB'], [64e9, '64 GB']])('%i bytes are %s', (bytes, words) => expect(megabytes(bytes)).toBe(words))
