/** Adds chosen files to an album, without those that it has already, which the owner may still add. */
import type { AlbumId } from '@blindkeep/protocol/ids'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { spokenName } from '../../common/names/visibleName.ts'
import { guardClosing } from '../../common/work/closeGuard.ts'
import { useNames } from '../find/useNames.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts } from '../ground/texts.ts'
import type { TakenUploads } from '../uploads/takenUploads.ts'
import { contentsOf } from './albumContents.ts'
import { alreadyThere, withChosen } from './alreadyThere.ts'

interface Adding {
  readonly add: (files: readonly File[]) => void
  /** How many files are being compared with the album's. */
  readonly looking: number
  /** Not added, because the album has them. */
  readonly left: readonly File[]
  readonly addLeft: () => void
  readonly hideLeft: () => void
}

export function useAdding(
  albumId: AlbumId | undefined,
  { queue, signal }: Pick<TakenUploads, 'queue' | 'signal'>,
): Adding {
  const { owner, showMessage } = useOwnerPages()
  const { names } = useNames()
  const { uploads: text, album: albumText } = useText(albumsTexts)
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )
  const [looking, setLooking] = useState(0)
  const [left, setLeft] = useState<readonly File[]>([])

  async function add(files: readonly File[], album: AlbumId): Promise<void> {
    const release = guardClosing()
    setLooking((count) => count + files.length)
    const known = await alreadyThere(files, contentsOf(album, { owner, names, queue }))
      // What the album has cannot be known now: the files come first.
      .catch(() => new Set<File>())
    setLooking((count) => count - files.length)
    release()
    // The owner has left this tab meanwhile.
    if (signal.aborted) return
    setLeft((before) => withChosen(before, known))
    const [first] = known
    // The owner has left the album, whose page would say it.
    if (first !== undefined && !isShown.current)
      showMessage({ tone: 'info', text: text.alreadyThere(known.size, spokenName(first.name, albumText.unnamed)) })
    const added = files.filter((file) => !known.has(file))
    if (added.length > 0) queue.add(added, album)
  }

  return {
    add: (files) => void (albumId !== undefined && files.length > 0 && add(files, albumId)),
    looking,
    left,
    addLeft: () => {
      if (albumId !== undefined) queue.add(left, albumId)
      setLeft([])
    },
    hideLeft: () => setLeft([]),
  }
}

/** What became of the chosen files that are not in the list of uploads. */
export function NotAdded({ looking, left, addLeft, hideLeft }: Omit<Adding, 'add'>) {
  const { uploads: text, album } = useText(albumsTexts)
  const [first] = left
  return (
    <>
      <p class={looking > 0 ? 'row soft' : 'visually-hidden'} role="status">
        {looking > 0 && (
          <>
            <span class="spinner" aria-hidden="true" />
            {text.looking(looking)}
          </>
        )}
      </p>
      {first !== undefined && (
        <Notice tone="info">
          <p>{text.alreadyThere(left.length, spokenName(first.name, album.unnamed))}</p>
          <div class="row">
            <Button icon="upload" onClick={addLeft}>
              {text.addAnyway(left.length)}
            </Button>
            <Button kind="quiet" onClick={hideLeft}>
              {text.hide}
            </Button>
          </div>
        </Notice>
      )}
    </>
  )
}
