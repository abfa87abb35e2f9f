/** Strokes on a grid of 24, drawn for this project. They are decoration: a text says the same. */
const PATHS = {
  add: 'M12 5v14M5 12h14',
  alert: 'M12 4 2.8 20h18.400zM12 10v4M12 17.200v.01',
  album: 'M4 7h16v12H4zM7 4h10M4 16l5-4 4 3 3-2 4 3',
  back: 'M14 6l-6 6 6 6',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 10.500a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  check: 'M5 12.500l4.5 4.500L19 7.5',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  device: 'M7 3h10v18H7zM11 18h2',
  down: 'M6 10l6 6 6-6',
  download: 'M12 4v11M7.5 11 12 15.5 16.5 11M5 20h14',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  eye: 'M2.5 12c4-7 15-7 19 0-4 7-15 7-19 0zM12 9.500a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  folder: 'M3 6h6l2 2.500h10V19H3z',
  forward: 'M10 6l6 6-6 6',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 8.500v.01',
  inbox: 'M4 13 6.5 5h11L20 13v6H4zM4 13h5l1.5 2.500h3L15 13h5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8v.01',
  key: 'M8 10a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 11.5 20 4M16 7.500l2.5 3',
  keyboard: 'M3 7h18v11H3zM7 11v.01M11 11v.01M15 11v.01M18 11v.01M8 15h8',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.500v2',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 5l12 7-12 7z',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v6h-6',
  receipt: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9 8h6M9 12h6',
  retry: 'M20 11a8 8 0 1 0-2.3 6.300M20 5v6h-6',
  search: 'M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.500 15.500 20 20',
  share: 'M12 15V4M8 7.5 12 3.500l4 4M6 11H5v9h14v-9h-1',
  shield: 'M12 3 5 6v6c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6zM9 12l2 2 4-4',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  up: 'M6 14l6-6 6 6',
  upload: 'M12 16V5M7.5 9 12 4.5 16.5 9M5 20h14',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 20c1-4 4-5.5 8-5.500s7 1.5 8 5.5',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon-glyph" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  )
}
