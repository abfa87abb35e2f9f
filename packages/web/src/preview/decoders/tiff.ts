/** Draws the pages of a TIFF in its worker. */
import { answerWith } from './decoding.ts'
import { openTiff } from './openTiff.ts'

answerWith(async (bytes) => openTiff(bytes))
