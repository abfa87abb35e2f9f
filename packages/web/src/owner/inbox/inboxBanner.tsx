import { Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import { fullnessOf } from './inboxRoom.ts'

/** Appears above every page while the inbox is nearly full, or after guests could not send. */
export function InboxBanner() {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts).room
  const format = useText(formats)
  const { value, reload } = useRefreshed(() => owner.account())
  useLive(['inbox.nearly_full', 'drop.refused', 'drop.adopted', 'drop.discarded'], reload)
  const fullness = value && fullnessOf(value)
  const { inbox, refusedDrops } = value ?? {}
  if (fullness === undefined && refusedDrops === undefined) return null
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
              format.instant(refusedDrops.firstAt),
              format.instant(refusedDrops.lastAt),
            )}{' '}
            {text[refusedDrops.why]}
          </p>
        )}
      </Notice>
    </div>
  )
}
