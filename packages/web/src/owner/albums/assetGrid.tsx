import type { AssetFacts } from '@blindkeep/client/owner'
import type { AssetId } from '@blindkeep/protocol/ids'
import { useState } from 'preact/hooks'
import { Redrawn } from '../../common/drawing/redrawn.tsx'
import { StepEnd } from '../../common/drawing/stepEnd.tsx'
import { AssetTile } from './assetTile.tsx'

/** Tiles are drawn in steps while the owner scrolls, so a large album appears at once. */
const STEP = 60

interface AssetGridProps {
  readonly assets: readonly AssetFacts[]
  readonly label: string
  readonly selected: ReadonlySet<AssetId>
  /** Must be the same function in each drawing. */
  readonly onSelect: (assetId: AssetId, isSelected: boolean) => void
}

export function AssetGrid({ assets, label, selected, onSelect }: AssetGridProps) {
  const [count, setCount] = useState(STEP)
  const starts = Array.from({ length: Math.ceil(Math.min(count, assets.length) / STEP) }, (_, index) => index * STEP)
  return (
    <>
      <ul class="tile-grid" aria-label={label}>
        {starts.map((start) => (
          <Tiles key={start} start={start} assets={assets} selected={selected} onSelect={onSelect} />
        ))}
      </ul>
      {count < assets.length && <StepEnd key={count} onReached={() => setCount(count + STEP)} />}
    </>
  )
}

/** One step of tiles: it is drawn again only when one of its tiles has changed. */
function Tiles({ start, assets, selected, onSelect }: Omit<AssetGridProps, 'label'> & { readonly start: number }) {
  const tiles = assets.slice(start, start + STEP)
  const selectedHere = tiles.filter(({ assetId }) => selected.has(assetId)).map(({ assetId }) => assetId)
  return (
    <Redrawn
      parts={[assets, onSelect, selectedHere.join()]}
      draw={() =>
        tiles.map((asset) => (
          <AssetTile
            key={asset.assetId}
            asset={asset}
            isSelected={selected.has(asset.assetId)}
            onSelect={(isSelected) => onSelect(asset.assetId, isSelected)}
          />
        ))
      }
    />
  )
}
