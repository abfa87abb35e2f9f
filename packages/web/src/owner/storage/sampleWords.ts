/** A sample in words: for the page, and for the report. */
import { type SampleRun, sampleTally, shareFound } from '@blindkeep/client/verify'
import type { Formats } from '../../common/language/format.ts'
import type { StorageText } from '../ground/texts.ts'

/** The probability with which a loss is found. */
export const SURE = 0.99

/** A share is only said if every piece was opened: a server can cut the line for just those that it lacks. */
export function sampleWords(run: SampleRun, { sample: text }: StorageText, format: Formats): readonly string[] {
  const { drawn, good, bad, notAsked, ofSomeVersion } = sampleTally(run)
  if (drawn === 0) return [text.none]
  return [
    text.opened(good, drawn, run.segments),
    ...(bad > 0 ? [text.bad(bad)] : []),
    ...(notAsked > 0 ? [text.notAsked(notAsked)] : []),
    ...(good === drawn ? [text.found(format.share(shareFound(drawn, SURE)))] : []),
    ...(ofSomeVersion > 0 ? [text.someVersion(ofSomeVersion)] : []),
  ]
}
