import { countsIn } from '../counts.ts'

export const { number, plural } = countsIn('de')

export const files = (count: number) => `${number(count)} ${plural(count, 'Datei', 'Dateien')}`
