import { AlbumList } from './albumList.tsx'
import { AlbumPage } from './albumPage.tsx'
import './albums.css'
import { AssetPage } from './assetPage.tsx'

interface AlbumsPageProps {
  /** What stands behind `#/albums/`: empty, the id of an album, or that and the id of an asset. */
  readonly rest: string
}

export function AlbumsPage({ rest }: AlbumsPageProps) {
  const [albumId = '', assetId = ''] = rest.split('/')
  if (albumId === '') return <AlbumList />
  if (assetId === '') return <AlbumPage key={albumId} albumId={albumId} />
  return <AssetPage key={assetId} albumId={albumId} assetId={assetId} />
}
