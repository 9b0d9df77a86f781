import { SelectField } from '../ui/field.js';
import type { Repositories } from './use-repositories.js';

interface RepositoryFieldProps {
  readonly repositories: Repositories['repositories'];
  readonly value: string;
  readonly choose: (fullName: string) => void;
}

export const RepositoryField = ({ repositories, value, choose }: RepositoryFieldProps) => (
  <SelectField
    label="Repository"
    name="repository"
    choices={repositories.map(({ fullName, private: isPrivate }) => [
      fullName,
      isPrivate ? `${fullName} (private)` : fullName,
    ])}
    value={value}
    onChange={({ target }) => choose(target.value)}
  />
);

/** What a new project of a repository is called, unless its person says otherwise. */
export const nameOfRepository = (fullName: string): string => fullName.split('/').at(-1) ?? '';
