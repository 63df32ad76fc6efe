import { expect, test } from 'vitest'
import { headingLevels } from './heading-levels.ts'
import { lexBlocks } from './settled-blocks.ts'

test('no level is skipped on the way down', () => {
  const tokens = lexBlocks('### deep\n\ntext\n\n##### deeper\n\n# top\n\n## second\n').filter((token) => token.type === 'heading')
  expect(headingLevels(tokens)).toEqual([2, 3, 2, 3])
})
