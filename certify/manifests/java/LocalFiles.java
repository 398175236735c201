import java.nio.file.Path;
import java.util.regex.Pattern;
import org.apache.iceberg.Files;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;

/** Objects of a store as files of a folder: `s3://bucket/key` is `folder/bucket/key`. What Java writes lies there too, and each file says the URI it was asked by. */
class LocalFiles implements FileIO {
  private static final Pattern SCHEME = Pattern.compile("^s3[an]?://");
  private final Path folder;

  LocalFiles(Path folder) {
    this.folder = folder;
  }

  Path path(String uri) {
    return folder.resolve(SCHEME.matcher(uri).replaceFirst(""));
  }

  @Override
  public InputFile newInputFile(String uri) {
    InputFile local = Files.localInput(path(uri).toFile());
    return new InputFile() {
      public long getLength() { return local.getLength(); }
      public SeekableInputStream newStream() { return local.newStream(); }
      public String location() { return uri; }
      public boolean exists() { return local.exists(); }
    };
  }

  @Override
  public OutputFile newOutputFile(String uri) {
    OutputFile local = Files.localOutput(path(uri).toFile());
    return new OutputFile() {
      public PositionOutputStream create() { return local.create(); }
      public PositionOutputStream createOrOverwrite() { return local.createOrOverwrite(); }
      public String location() { return uri; }
      public InputFile toInputFile() { return newInputFile(uri); }
    };
  }

  @Override
  public void deleteFile(String uri) {
    throw new UnsupportedOperationException("Cannot delete \"" + uri + "\": nothing here is deleted");
  }
}
