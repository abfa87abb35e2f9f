import { AlbumList } from './albumList.tsx'
import { AlbumPage } from './albumPage.tsx'
import { AssetPage } from './assetPage.tsx'
import './albums.css'

interface AlbumsPageProps {
  /** The path behind `#/albums/`: empty, an album's id, or an album's id and an asset's id. */
  readonly rest: string
}

export function AlbumsPage({ rest }: AlbumsPageProps) {
  const [albumId = '', assetId = ''] = rest.split('/')
  if (albumId === '') return <AlbumList />
  if (assetId === '') return <AlbumPage key={albumId} albumId={albumId} />
  return <AssetPage key={assetId} albumId={albumId} assetId={assetId} />
}
