import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface FileInputProps {
  readonly label: string
  readonly onFiles: (files: readonly File[]) => void
  /** `camera`: takes a picture. `folder`: chooses all files below a folder. */
  readonly from?: 'files' | 'folder' | 'camera' | undefined
  readonly isMultiple?: boolean | undefined
  /** Which files the browser's dialog offers first. */
  readonly accept?: string | undefined
  readonly id?: string | undefined
  readonly class?: string | undefined
}

interface FileInput {
  /** Hidden; draw it anywhere. */
  readonly input: JSX.Element
  /** Opens the browser's dialog. Call it in the handler of a click. */
  readonly open: () => void
}

export function useFileInput({
  label,
  onFiles,
  from = 'files',
  isMultiple = true,
  ...attributes
}: FileInputProps): FileInput {
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // Preact has no type for this attribute (File and Directory Entries API).
    if (from === 'folder' && element.current !== null) element.current.webkitdirectory = true
  }, [])
  const input = (
    <input
      {...attributes}
      {...(from === 'camera' ? { accept: 'image/*', capture: 'environment' } : { multiple: isMultiple })}
      ref={element}
      type="file"
      hidden
      aria-label={label}
      onChange={({ currentTarget }) => {
        onFiles([...(currentTarget.files ?? [])])
        // Otherwise choosing the same file again would cause no event.
        currentTarget.value = ''
      }}
    />
  )
  return { input, open: () => element.current?.click() }
}
