import { Icon } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { LinkStatus, Snapshot } from '../ground/messages.ts'
import { isFileLimited } from '../ground/standing.ts'
import { guestTexts, type Words } from '../ground/texts.ts'

/** Says before anything is sent that files are sealed here. */
export function SealedHere() {
  const text = useText(guestTexts)
  return (
    <p class="sealed-here">
      <Icon name="lock" />
      <span>
        <strong>{text.sealedHere}.</strong> {text.sealedHereMore}
      </span>
    </p>
  )
}

export function LinkLimits({ snapshot }: { readonly snapshot: Snapshot | undefined }) {
  const text = useText(guestTexts)
  const format = useText(formats)
  if (snapshot?.link.is !== 'open')
    return (
      <p class="link-limits waiting">{snapshot === undefined || snapshot.link.is === 'asking' ? text.asking : ''}</p>
    )
  return (
    <ul class="link-limits" aria-label={text.limits.heading}>
      {factsOf(snapshot, snapshot.link, { text, format }).map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  )
}

type OpenLink = Extract<LinkStatus, { readonly is: 'open' }>

function factsOf({ passphrase }: Snapshot, { limits, words }: OpenLink, { text, format }: Words): readonly string[] {
  const { fileBytesMax, remainingBytes, remainingFiles, singleUse = false, expiresAt } = limits
  const sizes = [
    fileBytesMax === undefined || !isFileLimited(limits) ? undefined : text.limits.perFile(format.bytes(fileBytesMax)),
    remainingBytes === undefined ? undefined : text.limits.inAll(format.bytes(remainingBytes)),
    singleUse || remainingFiles === undefined ? undefined : text.limits.files(remainingFiles),
  ].filter((fact) => fact !== undefined)
  return [
    ...(singleUse ? [text.limits.onlyOne] : []),
    ...(words.fileKinds === undefined ? [] : [text.limits.kinds(words.fileKinds.join(', '))]),
    ...(sizes.length === 0 ? [text.limits.none] : sizes),
    ...(expiresAt === undefined ? [] : [text.limits.until(format.instant(expiresAt))]),
    ...(passphrase === 'not_needed' ? [] : [text.limits.passphrase]),
  ]
}
