/** Reads one block at a time, away from the page's own thread. */
import type { ColourAnswer, ColourAsk } from './colour.ts'
import { piecesOf } from './colour-pieces.ts'

self.onmessage = ({ data }: MessageEvent<ColourAsk>) => {
  const answer = (pieces: ColourAnswer['pieces']): void => self.postMessage({ pieces } satisfies ColourAnswer)
  void piecesOf(data.text, data.language).then(answer, () => answer(null))
}
