import { formatInstant } from '../../common/format.ts'
import type { Language } from '../../common/language.ts'
import { useOwnerPages } from '../context.ts'
import type { Trust } from './shownAsset.ts'
import { albumsText } from './texts.ts'

/** Why a file is not to be taken for the owner's; undefined when a live device has signed it. */
export function trustReason(trust: Trust, language: Language): string | undefined {
  const text = albumsText(language).trust
  if (trust.kind === 'unsigned') return text.unsignedReason
  return trust.kind === 'revoked' ? text.revokedReason(formatInstant(trust.revokedAt, language)) : undefined
}

/** Nothing for a file that a live device has signed. */
export function TrustBadge({ trust }: { readonly trust: Trust }) {
  const { language } = useOwnerPages()
  const reason = trustReason(trust, language)
  if (reason === undefined) return null
  const text = albumsText(language).trust
  return (
    <span class="trust-badge stack tight">
      <span class="badge warn">{trust.kind === 'unsigned' ? text.unsigned : text.revoked}</span>
      <span class="small">{reason}</span>
    </span>
  )
}
