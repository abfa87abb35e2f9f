/** The dialogs of the inbox, one at a time. */
import { useText } from '../../common/language/reader.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import type { OwnWork } from '../work/work.ts'
import { ChooseAlbum } from './chooseAlbum.tsx'
import { ConfirmDiscard } from './confirmDiscard.tsx'
import { DropDialog } from './dropDialog.tsx'
import { isUnread, type ListedDrop } from './dropList.ts'
import { discardOrder, keepOrder } from './dropOrders.ts'
import type { DropActions } from './dropRow.tsx'
import type { InboxDrops } from './inboxDrops.ts'
import type { InboxLinks } from './linkFilter.tsx'
import type { DropSaving } from './useDropSaving.ts'

export type OpenDialog =
  | { readonly kind: 'details'; readonly item: ListedDrop }
  | { readonly kind: 'keep' | 'discard'; readonly items: readonly ListedDrop[] }

interface InboxDialogsProps extends DropActions {
  readonly dialog: OpenDialog | undefined
  /** The current inbox; the dialog's files may have been removed from it. */
  readonly items: readonly ListedDrop[]
  readonly links: InboxLinks
  readonly readName: InboxDrops['readName']
  readonly work: Pick<OwnWork, 'begin' | 'isBusy'>
  readonly saving: DropSaving
  readonly onClose: () => void
}

export function InboxDialogs({ dialog, items, links, work, saving, onClose, ...actions }: InboxDialogsProps) {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  if (dialog === undefined) return null
  if (dialog.kind === 'details') {
    const { item } = dialog
    const present = items.find(({ dropId }) => dropId === item.dropId)
    return (
      <DropDialog
        {...actions}
        item={present ?? item}
        linkLabel={links.labels(item.opaqueId)}
        asked={links.askedOf(item.opaqueId)}
        isRemoved={present === undefined}
        isBusy={work.isBusy(item.dropId)}
        saving={saving.now}
        fault={saving.fault?.dropId === item.dropId ? saving.fault.text : undefined}
        onStop={saving.stop}
        onClose={onClose}
      />
    )
  }
  if (dialog.kind === 'keep')
    return (
      <ChooseAlbum
        items={currentOf(dialog.items, items)}
        readName={actions.readName}
        onClose={onClose}
        onChosen={(album, { items: keepable, retainUntil }) => {
          onClose()
          work.begin(keepOrder(keepable, { owner, album, retainUntil, text }))
        }}
      />
    )
  return (
    <ConfirmDiscard
      items={dialog.items}
      onClose={onClose}
      onConfirmed={() => {
        onClose()
        work.begin(discardOrder(dialog.items, text))
      }}
    />
  )
}

/** The chosen files with names read since. A file removed before its name was read cannot be kept. */
function currentOf(chosen: readonly ListedDrop[], items: readonly ListedDrop[]): readonly ListedDrop[] {
  const present = new Map(items.map((item) => [item.dropId, item]))
  return chosen
    .map((item) => present.get(item.dropId) ?? item)
    .filter((item) => !isUnread(item) || present.has(item.dropId))
}
