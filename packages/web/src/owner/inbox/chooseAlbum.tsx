/** Asks for the album to keep files in: an existing one, or a new one. */

import type { Album } from '@blindkeep/client/owner'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Check, Field, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ProtectionDay, useProtectionDays } from '../albums/protectDialog.tsx'
import { protectionEnd } from '../albums/protection.ts'
import { albumsTexts } from '../albums/texts.ts'
import { AskingDialog } from '../askingDialog.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { FormButtons } from '../formButtons.tsx'
import { isUnread, type ListedDrop } from './dropList.ts'
import type { InboxDrops } from './inboxDrops.ts'
import { inboxTexts } from './texts.ts'

const NEW = 'new'
/** Leaves space for the bytes that sealing adds, in any script. */
const MAX_NAME_CHARACTERS = 200

/** The album that was chosen last in this tab; it is preselected the next time. */
let lastChosen: string | undefined

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

interface AlbumFormProps {
  readonly albums: readonly Album[]
  /** What the button says. */
  readonly submit: string
  /** One of the children is. */
  readonly isFaulty?: boolean
  readonly children?: ComponentChildren
  readonly onClose: () => void
  readonly onChosen: (album: Pick<Album, 'albumId' | 'name'>) => void | Promise<void>
}

export function AlbumForm({ albums, submit: label, isFaulty, children, onClose, onChosen }: AlbumFormProps) {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  const preset = albums.find(({ albumId }) => albumId === lastChosen) ?? albums[0]
  const [chosen, setChosen] = useState<string>(preset?.albumId ?? NEW)
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const action = useAction()

  async function submit(form: HTMLFormElement): Promise<void> {
    const known = albums.find(({ albumId }) => albumId === chosen)
    const isNameless = known === undefined && name.trim() === ''
    setMissing(isNameless)
    if (isNameless || isFaulty === true) {
      form.querySelector<HTMLElement>(isNameless ? 'input[name="name"]' : '[aria-invalid="true"]')?.focus()
      return
    }
    await action.run(async () => {
      const album = known ?? (await owner.createAlbum({ name: name.trim() }))
      lastChosen = album.albumId
      await onChosen(album)
    })
  }

  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <AlbumList albums={albums} chosen={chosen} onChosen={setChosen} />
      {chosen === NEW && (
        <Field label={text.keeping.newAlbumName} fault={isMissing ? text.keeping.nameMissing : undefined}>
          {(input) => (
            <input
              {...input}
              name="name"
              value={name}
              maxLength={MAX_NAME_CHARACTERS}
              placeholder={text.keeping.newAlbumExample}
              autoComplete="off"
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      {children}
      {action.error !== undefined && <ErrorNotice error={action.error} />}
      <FormButtons submit={label} icon="folder" isBusy={action.isBusy} onCancel={onClose} />
    </form>
  )
}

interface AlbumListProps {
  readonly albums: readonly Album[]
  /** An album's id, or `NEW`. */
  readonly chosen: string
  readonly onChosen: (chosen: string) => void
}

function AlbumList({ albums, chosen, onChosen }: AlbumListProps) {
  const text = useText(inboxTexts)
  return (
    <fieldset class="field album-choice">
      <legend>{text.keeping.album}</legend>
      <div class="album-list">
        {albums.map((album) => (
          <label key={album.albumId} class="check">
            <input
              type="radio"
              name="album"
              checked={chosen === album.albumId}
              onChange={() => onChosen(album.albumId)}
            />
            <Name>{album.name ?? text.keeping.albumUnnamed}</Name>
          </label>
        ))}
        <label class="check">
          <input type="radio" name="album" checked={chosen === NEW} onChange={() => onChosen(NEW)} />
          <span>{text.keeping.newAlbum}</span>
        </label>
      </div>
    </fieldset>
  )
}
