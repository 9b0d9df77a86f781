interface ShowMoreProps {
  readonly pages: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    fetchNextPage(): Promise<unknown>;
  };
}

/** Reads the next page of a list, where there is one. */
export const ShowMore = ({ pages }: ShowMoreProps) =>
  pages.hasNextPage && (
    <button type="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      Show more
    </button>
  );
