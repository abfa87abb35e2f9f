import { Name } from '../common/controls.tsx'
import { CutName } from '../common/cutName.tsx'
import { formats } from '../common/format.ts'
import { useText } from '../common/reader.ts'
import type { Row } from './messages.ts'

/** Three lines on a small phone. */
const CUT_FROM = 60

/** A file's folder, name and size. */
export function RowName({ folder, name, size }: Pick<Row, 'folder' | 'name' | 'size'>) {
  const format = useText(formats)
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
      <span class="soft small row-size">{format.bytes(size)}</span>
    </p>
  )
}
