/** Of the files of one attempt: names in `files`, files of all its lists together, and files that a program leaves in `out/`. */
export const FILE_LIMITS = { names: 50, files: 10_000, left: 1_000 } as const
