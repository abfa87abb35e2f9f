import { countsIn } from '../../common/counts.ts'

export const { number, plural } = countsIn('de')

export const files = (count: number) => `${number(count)} ${plural(count, 'Datei', 'Dateien')}`
