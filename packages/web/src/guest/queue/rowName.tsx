import { Name } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { CutName } from '../../common/names/cutName.tsx'
import type { Row } from '../ground/messages.ts'

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
