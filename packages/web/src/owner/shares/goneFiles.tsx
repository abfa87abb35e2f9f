import { Fragment } from 'preact'
import { useRef } from 'preact/hooks'
import { Name } from '../../common/controls/controls.tsx'
import { useInView } from '../../common/drawing/useInView.ts'
import { useText } from '../../common/language/reader.ts'
import { visibleName } from '../../common/names/visibleName.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { albumsTexts, sharesTexts } from '../ground/texts.ts'

const MAX_GONE_NAMES = 5

interface GoneFilesProps {
  /** Of a share without a passphrase: only with it could this be known of another one. */
  readonly url: string
  /** The hashes of the originals that the owner has; undefined while they are loaded. */
  readonly held: ReadonlySet<string | undefined> | undefined
}

/** Files that the share shows no more: their assets were deleted or replaced. Read when it comes into view. */
export function GoneFiles({ url, held }: GoneFilesProps) {
  const { owner } = useOwnerPages()
  const text = useText(sharesTexts)
  const albumsText = useText(albumsTexts)
  const place = useRef<HTMLParagraphElement>(null)
  const isInView = useInView(place)
  const wasInView = useRef(false)
  wasInView.current ||= isInView
  // A share that cannot be read says nothing here: its receivers learn why.
  const shown = useLoaded(
    async (signal) => (wasInView.current ? await owner.sharedFiles(url, { signal }) : []),
    String(wasInView.current),
  )
  const gone = held === undefined ? [] : (shown.value ?? []).filter(({ hash }) => !held.has(hash))
  return (
    <p ref={place} class="small" role="status">
      {gone.length > 0 && text.gone(gone.length)}
      {gone.slice(0, MAX_GONE_NAMES).map(({ name, hash }) => (
        <Fragment key={hash}>
          {' · '}
          <Name>{visibleName(name) ?? albumsText.album.unnamed}</Name>
        </Fragment>
      ))}
      {gone.length > MAX_GONE_NAMES && ` · ${text.more(gone.length - MAX_GONE_NAMES)}`}
    </p>
  )
}
