import { formatBytes, formatInstant } from '../common/format.ts'
import { Icon } from '../common/icons.tsx'
import type { Language } from '../common/language.ts'
import type { Limits, Snapshot } from './messages.ts'
import { isFileLimited } from './standing.ts'
import { type GuestTexts, useGuestPages } from './texts.ts'

/** Says before anything is sent that files are sealed here, and which limits the link has. */
export function Facts({ snapshot }: { readonly snapshot: Snapshot | undefined }) {
  const { text, language } = useGuestPages()
  return (
    <div class="guest-facts">
      <p class="sealed-here">
        <Icon name="lock" />
        <span>
          <strong>{text.sealedHere}.</strong> {text.sealedHereMore}
        </span>
      </p>
      {snapshot?.link.is === 'open' ? (
        <ul class="link-limits" aria-label={text.limits.heading}>
          {factsOf(snapshot.link.limits, snapshot.passphrase !== 'not_needed', { text, language }).map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      ) : (
        <p class="link-limits waiting">{snapshot === undefined || snapshot.link.is === 'asking' ? text.asking : ''}</p>
      )}
    </div>
  )
}

interface LocalText {
  readonly text: GuestTexts
  readonly language: Language
}

function factsOf(limits: Limits, needsPassphrase: boolean, { text, language }: LocalText): readonly string[] {
  const { fileBytesMax, remainingBytes, remainingFiles, singleUse = false, expiresAt } = limits
  const sizes = [
    fileBytesMax === undefined || !isFileLimited(limits)
      ? undefined
      : text.limits.perFile(formatBytes(fileBytesMax, language)),
    remainingBytes === undefined ? undefined : text.limits.inAll(formatBytes(remainingBytes, language)),
    singleUse || remainingFiles === undefined ? undefined : text.limits.files(remainingFiles),
  ].filter((fact) => fact !== undefined)
  return [
    ...(singleUse ? [text.limits.onlyOne] : []),
    ...(sizes.length === 0 ? [text.limits.none] : sizes),
    ...(expiresAt === undefined ? [] : [text.limits.until(formatInstant(expiresAt, language))]),
    ...(needsPassphrase ? [text.limits.passphrase] : []),
  ]
}
