import { Name } from '../common/controls.tsx'
import { CutName } from '../common/cutName.tsx'
import { formatBytes } from '../common/format.ts'
import type { Row } from './messages.ts'
import { useGuestPages } from './texts.ts'

/** Three lines on a small phone. */
const CUT_FROM = 60

/** A file's folder, name and size. */
export function RowName({ folder, name, size }: Pick<Row, 'folder' | 'name' | 'size'>) {
  const { language } = useGuestPages()
  return (
    <p class="row-name">
      {folder !== '' && (
        <span class="soft row-folder" title={folder}>
          <Name>{folder}</Name>/
        </span>
      )}
      <span class="row-file">
        <CutName name={name} cutFrom={CUT_FROM} />
      </span>{' '}
      <span class="soft small row-size">{formatBytes(size, language)}</span>
    </p>
  )
}
