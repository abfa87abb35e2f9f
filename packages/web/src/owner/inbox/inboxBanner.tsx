import { Notice } from '../../common/controls.tsx'
import { formatInstant } from '../../common/format.ts'
import { useLoaded } from '../../common/useLoaded.ts'
import { useLive, useOwnerPages } from '../context.ts'
import { fullnessOf } from './inboxRoom.ts'
import { inboxText } from './texts.ts'

/** Appears above every page while the inbox is nearly full, or after guests could not send. */
export function InboxBanner() {
  const { language, owner } = useOwnerPages()
  const { value, reload } = useLoaded(() => owner.account())
  useLive(['inbox.nearly_full', 'drop.refused', 'drop.adopted', 'drop.discarded'], reload)
  const fullness = value && fullnessOf(value)
  const { inbox, refusedDrops } = value ?? {}
  if (fullness === undefined && refusedDrops === undefined) return null
  const text = inboxText(language).room
  return (
    <div class="banner no-print">
      <Notice tone={fullness === 'full' || refusedDrops !== undefined ? 'bad' : 'warn'}>
        {fullness !== undefined && inbox !== undefined && (
          <p>
            <strong>{text[fullness]}</strong>. {text.waiting[fullness](inbox.waiting, inbox.room)}
          </p>
        )}
        {refusedDrops !== undefined && (
          <p>
            <strong>{text.refused}</strong>.{' '}
            {text.refusedCount(
              refusedDrops.count,
              formatInstant(refusedDrops.firstAt, language),
              formatInstant(refusedDrops.lastAt, language),
            )}{' '}
            {text[refusedDrops.why]}
          </p>
        )}
      </Notice>
    </div>
  )
}
