/** The types an input of a pipeline, or a field of an approval's form, may declare (N-O4). */
export const inputTypes = ['string', 'number', 'boolean', 'object', 'array', 'file'] as const
export type InputType = (typeof inputTypes)[number]
