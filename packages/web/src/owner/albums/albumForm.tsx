/** Asks for an album: an existing one, or a new one. */

import type { Album } from '@blindkeep/client/owner'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Field, Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'

const NEW = 'new'
/** Leaves space for the bytes that sealing adds, in any script. */
const MAX_NAME_CHARACTERS = 200

/** The album that was chosen last in this tab; it is preselected the next time. */
let lastChosen: string | undefined

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
