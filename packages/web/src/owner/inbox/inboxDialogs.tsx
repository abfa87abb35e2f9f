/** The dialogs of the inbox, one at a time. */
import type { InboxItem } from '@blindkeep/client/owner'
import { ChooseAlbum } from './chooseAlbum.tsx'
import { ConfirmDiscard } from './confirmDiscard.tsx'
import { DropDialog } from './dropDialog.tsx'
import type { DropActions } from './dropRow.tsx'
import type { LinkLabels } from './linkFilter.tsx'
import type { DropSaving } from './useDropSaving.ts'
import type { DropWork } from './useDropWork.ts'

export type Asked =
  | { readonly what: 'details'; readonly item: InboxItem }
  | { readonly what: 'keep' | 'discard'; readonly items: readonly InboxItem[] }

interface InboxDialogsProps extends DropActions {
  readonly asked: Asked | undefined
  /** The current inbox; the dialog's files may have been removed from it. */
  readonly items: readonly InboxItem[] | undefined
  readonly labelOfLink: LinkLabels
  readonly work: DropWork
  readonly saving: DropSaving
  readonly onClose: () => void
}

export function InboxDialogs({ asked, items, labelOfLink, work, saving, onClose, ...actions }: InboxDialogsProps) {
  if (asked === undefined) return null
  if (asked.what === 'details') {
    const { item } = asked
    const present = items?.find(({ dropId }) => dropId === item.dropId)
    return (
      <DropDialog
        {...actions}
        item={present ?? item}
        linkLabel={labelOfLink(item.opaqueId)}
        isGone={items !== undefined && present === undefined}
        isBusy={work.running !== undefined}
        saving={saving.now}
        fault={saving.fault?.dropId === item.dropId ? saving.fault.text : undefined}
        onStop={saving.stop}
        onClose={onClose}
      />
    )
  }
  if (asked.what === 'keep')
    return (
      <ChooseAlbum
        items={asked.items}
        onClose={onClose}
        onChosen={(album, keepable) => {
          onClose()
          work.begin({ kind: 'keep', album, items: keepable })
        }}
      />
    )
  return (
    <ConfirmDiscard
      items={asked.items}
      onClose={onClose}
      onConfirmed={() => {
        onClose()
        work.begin({ kind: 'discard', items: asked.items })
      }}
    />
  )
}
