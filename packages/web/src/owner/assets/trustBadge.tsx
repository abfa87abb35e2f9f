import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { albumsTexts } from '../ground/texts.ts'
import type { Trust } from './shownAsset.ts'
import './trustBadge.css'

/** Why a file is not to be taken for the owner's; undefined when a live device has signed it. */
export function useTrustReason(trust: Trust): string | undefined {
  const text = useText(albumsTexts).trust
  const format = useText(formats)
  if (trust.kind === 'unsigned') return text.unsignedReason
  return trust.kind === 'revoked' ? text.revokedReason(format.instant(trust.revokedAt)) : undefined
}

/** Nothing for a file that a live device has signed. */
export function TrustBadge({ trust }: { readonly trust: Trust }) {
  const text = useText(albumsTexts).trust
  const reason = useTrustReason(trust)
  if (reason === undefined) return null
  return (
    <span class="trust-badge stack tight">
      <span class="badge warn">{trust.kind === 'unsigned' ? text.unsigned : text.revoked}</span>
      <span class="small">{reason}</span>
    </span>
  )
}
