/** Asks for the album to keep files in, and whether to protect them from deletion. */

import type { Album } from '@blindkeep/client/owner'
import { useEffect, useState } from 'preact/hooks'
import { Check, Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { AlbumForm } from '../albums/albumForm.tsx'
import { ProtectionDay, useProtectionDays } from '../albums/protectDialog.tsx'
import { protectionEnd } from '../albums/protection.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts, inboxTexts } from '../ground/texts.ts'
import { isUnread, type ListedDrop } from './dropList.ts'
import type { InboxDrops } from './inboxDrops.ts'

interface ChooseAlbumProps {
  readonly items: readonly ListedDrop[]
  readonly readName: InboxDrops['readName']
  readonly onClose: () => void
  /** `retainUntil`: RFC 3339, if the files are protected from deletion. */
  readonly onChosen: (
    album: Pick<Album, 'albumId' | 'name'>,
    kept: { readonly items: readonly ListedDrop[]; readonly retainUntil: string | undefined },
  ) => void
}

export function ChooseAlbum({ items, readName, onClose, onChosen }: ChooseAlbumProps) {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  const { protect } = useText(albumsTexts)
  // Undefined while it is not wanted.
  const [day, setDay] = useState<string>()
  const days = useProtectionDays(undefined).value?.days
  const retainUntil = day === undefined || days === undefined ? undefined : protectionEnd(day, days)
  const { value: albums, error, reload } = useLoaded(() => owner.albums())
  const unread = items.filter(isUnread)
  if (unread.length > 0)
    return (
      <AskingDialog title={text.keeping.title(items.length)} closeLabel={text.close} onClose={onClose}>
        <p class="soft">{text.reading}</p>
        <Progress label={text.reading} value={items.length - unread.length} max={items.length} />
        {unread.map((item) => (
          <WantedName key={item.dropId} item={item} readName={readName} />
        ))}
      </AskingDialog>
    )
  const keepable = items.filter(({ file }) => file !== undefined)
  const skipped = items.length - keepable.length
  return (
    <AskingDialog title={text.keeping.title(keepable.length || items.length)} closeLabel={text.close} onClose={onClose}>
      <p class="soft">{text.keeping.about}</p>
      {skipped > 0 && (
        <Notice tone="warn">{keepable.length === 0 ? text.keeping.none : text.keeping.skipped(skipped)}</Notice>
      )}
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {albums === undefined && error === undefined && <Progress label={text.keeping.album} />}
      {albums !== undefined && keepable.length > 0 && (
        <AlbumForm
          albums={albums.toReversed()}
          submit={text.keeping.submit(keepable.length)}
          isFaulty={day !== undefined && retainUntil === undefined}
          onClose={onClose}
          onChosen={(album) => onChosen(album, { items: keepable, retainUntil })}
        >
          {days !== undefined && (
            <Check checked={day !== undefined} onChange={(isOn) => setDay(isOn ? days.suggested : undefined)}>
              {protect.keeping(keepable.length)}
            </Check>
          )}
          {days !== undefined && day !== undefined && (
            <ProtectionDay count={keepable.length} {...{ days, day }} onDay={setDay} />
          )}
        </AlbumForm>
      )}
    </AskingDialog>
  )
}

interface WantedNameProps {
  readonly item: ListedDrop
  readonly readName: InboxDrops['readName']
}

function WantedName({ item, readName }: WantedNameProps) {
  useEffect(() => readName(item), [item, readName])
  return null
}
