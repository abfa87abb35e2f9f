import { Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { guestTexts } from '../ground/texts.ts'

/** What the owner says to the guests of the link: text of another person, shown as such. */
export function OwnersWordsCard({ snapshot: { link } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts).ownersWords
  if (link.is !== 'open') return null
  const { title, message, from } = link.words
  if ((title ?? message ?? from) === undefined) return null
  return (
    <figure class="owners-words card stack tight">
      <figcaption class="small soft">{text.from}</figcaption>
      {title !== undefined && (
        <p class="owners-title">
          <Name>{title}</Name>
        </p>
      )}
      {message !== undefined && (
        <p>
          <Name>{message}</Name>
        </p>
      )}
      {from !== undefined && (
        <>
          <p>
            {text.name} <Name>{from}</Name>
          </p>
          <p class="small soft">{text.unchecked}</p>
        </>
      )}
    </figure>
  )
}
