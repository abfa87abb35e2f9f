import type { AssetDescription, AssetFacts } from '@blindkeep/client/owner'
import { Fragment } from 'preact'
import { useRef } from 'preact/hooks'
import { Name } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useInView } from '../../common/drawing/useInView.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { CutName } from '../../common/names/cutName.tsx'
import { FileKind } from '../../common/names/fileKind.tsx'
import { pathPartsOf } from '../../common/names/nameParts.ts'
import { spokenName, visibleName } from '../../common/names/visibleName.ts'
import { TrustBadge } from '../assets/trustBadge.tsx'
import { type TileContent, useTile } from '../assets/useTile.ts'
import { albumsTexts, type InboxText, inboxTexts } from '../ground/texts.ts'
import { useKeys } from '../keys/listKeys.ts'

interface AssetTileProps {
  readonly asset: AssetFacts
  readonly isSelected: boolean
  readonly onSelect: (isSelected: boolean) => void
}

export function AssetTile({ asset, isSelected, onSelect }: AssetTileProps) {
  const text = useText(albumsTexts).album
  const inboxText = useText(inboxTexts)
  const format = useText(formats)
  const place = useRef<HTMLLIElement>(null)
  const content = useTile(asset, useInView(place))
  const description = content?.shown?.description
  const name = nameOf(content, text)
  const keys = useKeys()
  return (
    <li ref={place} class={`tile ${isSelected ? 'selected' : ''}`}>
      <a href={`#/albums/${asset.albumId}/${asset.assetId}`} data-row>
        <span class="tile-picture">
          <Picture content={content} />
        </span>
        <span class="tile-words">
          {description === undefined ? <span class="tile-name">{name}</span> : <TileName path={name} />}
          <span class="small soft">
            {description !== undefined && <>{format.bytes(description.size)} · </>}
            {format.date(asset.createdAt)}
          </span>
          {description?.fields !== undefined && description.fields.length > 0 && (
            <span class="tile-answers small soft" title={answersOf(description.fields)}>
              {description.fields.map(([label, value], at) => (
                // A guest can repeat a label.
                <Fragment key={`${at} ${label}`}>
                  {at > 0 && ' · '}
                  <Name>{value}</Name>
                </Fragment>
              ))}
            </span>
          )}
          {!asset.complete && <span class="badge warn">{text.unfinished}</span>}
          {content?.shown !== undefined && <TrustBadge trust={content.shown.trust} />}
        </span>
      </a>
      <label class="tile-pick">
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={text.select(spokenOf(content, text, inboxText))}
          aria-keyshortcuts={keys('X')}
          onChange={(event) => onSelect(event.currentTarget.checked)}
        />
      </label>
    </li>
  )
}

/** More than the narrowest tile has in two lines. */
const CUT_FROM = 24

/** The name, and in a line of its own the folder. */
function TileName({ path }: { readonly path: string }) {
  const { folder, name } = pathPartsOf(path)
  return (
    <>
      <span class="tile-name" title={path}>
        <CutName name={name} cutFrom={CUT_FROM} />
      </span>
      {folder !== '' && (
        <span class="tile-folder small soft" title={path}>
          <Name>{folder}</Name>
        </span>
      )}
    </>
  )
}

/** A line each. */
const answersOf = (fields: NonNullable<AssetDescription['fields']>) =>
  fields.map(([label, value]) => `${label}: ${value}`).join('\n')

interface NameTexts {
  readonly opening: string
  readonly unreadable: string
  readonly unnamed: string
  readonly unsigned: string
}

function nameOf(content: TileContent | undefined, text: NameTexts): string {
  if (content === undefined) return text.opening
  if (content.shown === undefined) return text.unreadable
  if (content.shown.description === undefined) return text.unsigned
  return visibleName(content.shown.description.name) ?? text.unnamed
}

/** For labels, in which `nameOf` would be half a sentence. */
function spokenOf(content: TileContent | undefined, text: NameTexts, inboxText: InboxText): string {
  if (content === undefined) return inboxText.unreadSpoken
  return content.shown === undefined ? inboxText.unopened : spokenName(nameOf(content, text), text.unnamed)
}

function Picture({ content }: { readonly content: TileContent | undefined }) {
  if (content === undefined) return <span class="tile-empty" />
  if (content.pictureUrl !== undefined) return <img src={content.pictureUrl} alt="" decoding="async" />
  if (content.hasPicture) return <span class="tile-empty" />
  const description = content.shown?.description
  if (description === undefined) return <Icon name="alert" />
  return <FileKind name={description.name} type={description.type} />
}
