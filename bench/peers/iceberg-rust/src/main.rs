//! iceberg-rust's fast append as a process that lives: a job a line on standard input, an answer a line on standard output.
//!
//! `iceberg-rust-peer '{"catalog":"http://…","endpoint":"http://…",…}' check|no-check`, then `{"table":"a.b","files":["s3://…"]}` a line.
//! It counts the rows of each file by its footer; the rest of its metrics no public function of the crate makes.
use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt, TryStreamExt, stream};
use iceberg::arrow::ArrowFileReader;
use iceberg::spec::{DataContentType, DataFile, DataFileBuilder, DataFileFormat, Struct};
use iceberg::table::Table;
use iceberg::transaction::{ApplyTransactionAction, Transaction};
use iceberg::{Catalog, CatalogBuilder, TableIdent};
use iceberg_catalog_rest::{RestCatalog, RestCatalogBuilder};
use iceberg_storage_opendal::OpenDalStorageFactory;
use parquet::arrow::async_reader::AsyncFileReader;
use serde::Deserialize;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Services {
    catalog: String,
    endpoint: String,
    region: String,
    access_key_id: String,
    secret_access_key: String,
}

#[derive(Deserialize)]
struct Job {
    table: String,
    files: Vec<String>,
}

const FOOTERS_AT_ONCE: usize = 8;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let services: Services = serde_json::from_str(&arguments[1])?;
    let check = arguments[2] == "check";
    let catalog = connect(services).await?;
    let mut tables: HashMap<String, Table> = HashMap::new();
    for line in stdin().lock().lines() {
        let job: Job = serde_json::from_str(&line?)?;
        let (started, cpu) = (Instant::now(), cpu_ms());
        let table = match tables.remove(&job.table) {
            Some(table) => table,
            None => {
                let names: Vec<&str> = job.table.split('.').collect();
                catalog.load_table(&TableIdent::from_strs(names)?).await?
            }
        };
        let after = append(&catalog, &table, job.files, check).await?;
        let elapsed = started.elapsed().as_secs_f64() * 1e3;
        println!(
            "{{\"elapsedMs\":{elapsed:.3},\"cpuMs\":{:.3},\"rssMib\":{:.1}}}",
            cpu_ms() - cpu,
            rss_mib()?
        );
        stdout().flush()?;
        tables.insert(job.table, after);
    }
    Ok(())
}

async fn connect(services: Services) -> iceberg::Result<RestCatalog> {
    let properties = [
        ("uri", services.catalog),
        ("s3.endpoint", services.endpoint),
        ("s3.region", services.region),
        ("s3.access-key-id", services.access_key_id),
        ("s3.secret-access-key", services.secret_access_key),
        ("s3.path-style-access", "true".into()),
    ];
    RestCatalogBuilder::default()
        .with_storage_factory(Arc::new(OpenDalStorageFactory::S3 {
            customized_credential_load: None,
        }))
        .load("bench", properties.map(|(name, value)| (name.to_string(), value)).into())
        .await
}

async fn append(catalog: &RestCatalog, table: &Table, files: Vec<String>, check: bool) -> Result<Table, Failure> {
    let data_files: Vec<DataFile> = stream::iter(files)
        .map(|path| data_file(table, path))
        .buffered(FOOTERS_AT_ONCE)
        .try_collect()
        .await?;
    let transaction = Transaction::new(table);
    let action = transaction
        .fast_append()
        .with_check_duplicate(check)
        .add_data_files(data_files);
    Ok(action.apply(transaction)?.commit(catalog).await?)
}

async fn data_file(table: &Table, path: String) -> Result<DataFile, Failure> {
    let file = table.file_io().new_input(&path)?;
    let (metadata, reader) = (file.metadata().await?, file.reader().await?);
    let size = metadata.size;
    let footer = ArrowFileReader::new(metadata, reader).get_metadata(None).await?;
    Ok(DataFileBuilder::default()
        .content(DataContentType::Data)
        .file_path(path)
        .file_format(DataFileFormat::Parquet)
        .file_size_in_bytes(size)
        .record_count(footer.file_metadata().num_rows() as u64)
        .partition(Struct::empty())
        .partition_spec_id(table.metadata().default_partition_spec_id())
        .build()?)
}

fn cpu_ms() -> f64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the structure, and an all-zero one is valid already.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    };
    let ms = |time: libc::timeval| time.tv_sec as f64 * 1e3 + time.tv_usec as f64 / 1e3;
    ms(usage.ru_utime) + ms(usage.ru_stime)
}

fn rss_mib() -> Result<f64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.split_whitespace().next())
        .ok_or("no VmRSS")?;
    Ok(kib.parse::<f64>()? / 1024.0)
}
