/** Which shares show some files now: on their pages, and in questions before the files leave. */
import type { AssetFacts, ShowingShare } from '@blindkeep/client/owner'
import { Name } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { type Loaded, useLoaded } from '../../common/work/useLoaded.ts'
import { hashesOf } from '../assets/shownAsset.ts'
import { NamedFew } from '../dialogs/namedFew.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { sharesTexts } from '../ground/texts.ts'
import { isUsedUp, shareName } from './shareFacts.ts'

/** Loads at first and when `key` changes: not with each file that comes, as the list of shares may be long. */
function useShowingShares(assets: readonly AssetFacts[], key = ''): Loaded<readonly ShowingShare[]> {
  const { owner } = useOwnerPages()
  return useLoaded((signal) => {
    const hashes = assets.map((asset) => hashesOf(asset).original).filter((hash) => hash !== undefined)
    return owner.showingShares(hashes, { signal })
  }, key)
}

/** The shares that show a file, with links to them: whether they are open, and how often each was downloaded. */
export function ShowingFile({ asset }: { readonly asset: AssetFacts }) {
  const text = useText(sharesTexts).showing
  const errorText = useText(errorTexts)
  const { value: showing, error } = useShowingShares([asset], hashesOf(asset).original)
  if (error !== undefined) return <span class="fault">{errorText(error)}</span>
  if (showing === undefined) return <span role="status">{text.looking}</span>
  return showing.length === 0 ? <span>{text.none}</span> : <Showing showing={showing} />
}

/** The same of an album. Nothing is said where no share shows a file of it. */
export function ShowingAlbum({
  albumId,
  assets,
}: {
  readonly albumId: string
  readonly assets: readonly AssetFacts[]
}) {
  const text = useText(sharesTexts).showing
  const { value: showing } = useShowingShares(assets, albumId)
  if (showing === undefined || showing.length === 0) return null
  return (
    <details class="small">
      <summary>{text.album(showing.length)}</summary>
      <Showing showing={showing} ofMany />
    </details>
  )
}

interface ShowingProps {
  readonly showing: readonly ShowingShare[]
  /** Says how many of the files each shows. */
  readonly ofMany?: boolean
}

function Showing({ showing, ofMany = false }: ShowingProps) {
  return (
    <ul class="showing-shares">
      {showing.map((one) => (
        <li key={one.share.opaqueId}>
          <ShowingLine {...one} ofMany={ofMany} />
        </li>
      ))}
    </ul>
  )
}

function ShowingLine({ share, files, ofMany }: ShowingShare & { readonly ofMany: boolean }) {
  const text = useText(sharesTexts)
  const { opaqueId, visits } = share
  const facts = [
    ...(ofMany ? [text.showing.files(files)] : []),
    isUsedUp(share) ? text.usedUp : text.live,
    ...(visits === undefined ? [] : [text.visits.downloaded(visits.downloaded)]),
  ]
  return (
    <>
      <a href={`#/shares/${opaqueId}`}>
        <Name>{shareName(share, text)}</Name>
      </a>{' '}
      <span class="small soft">{facts.join(' · ')}</span>
    </>
  )
}

/** For a question before the files are deleted or moved. */
export function LosingShares({ assets }: { readonly assets: readonly AssetFacts[] }) {
  const text = useText(sharesTexts)
  const { value: showing, error } = useShowingShares(assets)
  return (
    <div role="status">
      {showing === undefined && <p class="soft">{error === undefined ? text.showing.looking : text.showing.unknown}</p>}
      {showing !== undefined && showing.length > 0 && (
        <>
          <p>{text.showing.losing(showing.length, assets.length)}</p>
          <NamedFew items={showing} keyOf={({ share }) => share.opaqueId}>
            {({ share }) => <Name>{shareName(share, text)}</Name>}
          </NamedFew>
        </>
      )}
    </div>
  )
}
